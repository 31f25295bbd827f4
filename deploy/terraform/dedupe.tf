# The filter in front of the unique keys in Postgres. Losing it costs time, never a message.

resource "google_compute_network" "this" {
  count = local.with_redis ? 1 : 0

  name                    = var.name
  auto_create_subnetworks = false

  depends_on = [google_project_service.api]
}

resource "google_compute_subnetwork" "this" {
  count = local.with_redis ? 1 : 0

  name          = "${var.name}-${var.region}"
  region        = var.region
  network       = google_compute_network.this[0].id
  ip_cidr_range = "10.8.0.0/24"
}

resource "google_redis_instance" "dedupe" {
  count = local.with_redis ? 1 : 0

  name                = "${var.name}-dedupe"
  region              = var.region
  tier                = var.redis.high_availability ? "STANDARD_HA" : "BASIC"
  memory_size_gb      = var.redis.memory_gb
  redis_version       = "REDIS_7_2"
  authorized_network  = google_compute_network.this[0].id
  auth_enabled        = true
  deletion_protection = var.deletion_protection

  # A full store must forget, not refuse: a refusal is a 500 to Meta.
  redis_configs = {
    maxmemory-policy = "allkeys-lru"
  }
}

resource "google_firestore_database" "this" {
  count = local.with_firestore ? 1 : 0

  name            = "(default)"
  location_id     = coalesce(var.firestore_location, var.region)
  type            = "FIRESTORE_NATIVE"
  deletion_policy = "ABANDON"

  depends_on = [google_project_service.api]
}

resource "google_firestore_field" "expiry" {
  for_each = local.with_firestore ? toset(["estafet_dedupe"]) : toset([])

  database   = google_firestore_database.this[0].name
  collection = each.key
  field      = "expireAt"

  ttl_config {}

  # Nobody asks by it, and an index on a time that only grows limits how fast documents can be written.
  index_config {}
}
