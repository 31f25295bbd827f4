# Reached through Cloud Run's own connector: encrypted, and open only to accounts with roles/cloudsql.client. The public
# address lets nobody else in: no network is authorised, and direct connections are refused.

locals {
  # Each process keeps up to 25; while a new revision takes over there are two of each. The rest is for people.
  connections = 2 * 25 * (var.gateway.max_instances + var.tasks.max_instances) + 50
}

resource "google_sql_database_instance" "this" {
  name                = coalesce(var.database.instance, "${var.name}-postgres")
  region              = var.region
  database_version    = "POSTGRES_18"
  deletion_protection = var.deletion_protection

  settings {
    edition                     = "ENTERPRISE"
    tier                        = var.database.tier
    availability_type           = var.database.high_availability ? "REGIONAL" : "ZONAL"
    disk_type                   = "PD_SSD"
    disk_size                   = var.database.disk_gb
    disk_autoresize             = true
    connector_enforcement       = "REQUIRED"
    deletion_protection_enabled = var.deletion_protection

    ip_configuration {
      ipv4_enabled = true
      ssl_mode     = "ENCRYPTED_ONLY"
    }

    backup_configuration {
      enabled                        = true
      start_time                     = "02:00"
      point_in_time_recovery_enabled = true
      transaction_log_retention_days = var.database.log_days
      backup_retention_settings {
        retained_backups = var.database.backups
      }
    }

    database_flags {
      name  = "max_connections"
      value = tostring(local.connections)
    }

    insights_config {
      query_insights_enabled = true
    }
  }

  lifecycle {
    # It grows by itself.
    ignore_changes = [settings[0].disk_size]
  }

  depends_on = [google_project_service.api]
}

resource "google_sql_database" "this" {
  name     = "estafet"
  instance = google_sql_database_instance.this.name
  # Its tables belong to the user below: both go with the instance.
  deletion_policy = "ABANDON"
}

resource "google_sql_user" "this" {
  name            = "estafet"
  instance        = google_sql_database_instance.this.name
  password        = random_password.database.result
  deletion_policy = "ABANDON"
}
