# Two services of one image. `gateway` is open to the internet: Meta, applications, browsers. `tasks` is called by Cloud
# Tasks and Cloud Scheduler only: Google checks their identity before a request reaches it, which cannot be had for
# single paths of an open service, and sends that wait for Meta never take a place from a webhook.

locals {
  apis = [
    "cloudscheduler.googleapis.com",
    "cloudtasks.googleapis.com",
    "compute.googleapis.com",
    "firestore.googleapis.com",
    "iam.googleapis.com",
    "redis.googleapis.com",
    "run.googleapis.com",
    "secretmanager.googleapis.com",
    "sqladmin.googleapis.com",
    "storage.googleapis.com",
  ]

  # Known before the services are: each has to be told the address of `tasks`, itself included.
  run_domain  = "${data.google_project.this.number}.${var.region}.run.app"
  gateway_url = "https://${var.name}-gateway-${local.run_domain}"
  tasks_url   = "https://${var.name}-tasks-${local.run_domain}"
  public_url  = coalesce(var.public_url, local.gateway_url)

  with_redis     = var.dedupe_store == "redis"
  with_firestore = var.dedupe_store == "firestore"

  # Every setting that is no secret. Secrets: secrets.tf.
  settings = {
    ESTAFET_ENV              = var.environment
    DISPATCH                 = "cloud-tasks"
    GCP_PROJECT              = var.project
    GCP_LOCATION             = var.region
    INBOUND_TASK_QUEUE_NAME  = join(",", [for queue in google_cloud_tasks_queue.inbound : queue.name])
    OUTBOUND_TASK_QUEUE_NAME = join(",", [for queue in google_cloud_tasks_queue.outbound : queue.name])
    INTERNAL_TASK_BASE_URL   = local.tasks_url
    DEDUPE_STORE             = var.dedupe_store
    MEDIA_STORE              = "s3"
    S3_ENDPOINT              = "https://storage.googleapis.com"
    S3_REGION                = "auto"
    S3_BUCKET                = google_storage_bucket.media.name
    S3_ACCESS_KEY_ID         = google_storage_hmac_key.media.access_id
    PUBLIC_URL               = local.public_url
    SEND_TIMEOUT_MS          = tostring(var.send_timeout_ms)
  }
  # Null: not set.
  optional_settings = {
    FIRESTORE_PROJECT = local.with_firestore ? var.project : null
    META_APP_ID       = var.meta_app_id
    META_CONFIG_ID    = var.meta_config_id
  }
  plain_settings = merge(
    local.settings,
    { for name, value in local.optional_settings : name => value if value != null },
    var.extra_settings,
  )
}

data "google_project" "this" {}

resource "google_project_service" "api" {
  for_each = toset(local.apis)

  service            = each.key
  disable_on_destroy = false
}
