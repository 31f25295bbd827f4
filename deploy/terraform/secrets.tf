# Every secret setting is a secret in Secret Manager, and reaches the processes from there.

locals {
  # Added by hand, because only you know them or because nobody else should:
  # gcloud secrets versions add estafet-meta-app-secret --data-file=-
  given_secrets = setunion(
    ["META_APP_SECRET", "META_VERIFY_TOKEN", "ADMIN_API_KEY", "ENCRYPTION_KEYS"],
    var.optional_secrets,
  )

  # Made here; null is left out. They are in Terraform's state.
  made_secrets = {
    DATABASE_URL         = "postgres://${google_sql_user.this.name}:${random_password.database.result}@${urlencode("/cloudsql/${google_sql_database_instance.this.connection_name}")}/${google_sql_database.this.name}"
    INTERNAL_TASK_TOKEN  = join(",", [for name in var.task_tokens : random_password.task_token[name].result])
    S3_SECRET_ACCESS_KEY = google_storage_hmac_key.media.secret
    REDIS_URL            = local.with_redis ? "redis://:${urlencode(google_redis_instance.dedupe[0].auth_string)}@${google_redis_instance.dedupe[0].host}:${google_redis_instance.dedupe[0].port}" : null
  }
  made_secret_names = setunion(
    ["DATABASE_URL", "INTERNAL_TASK_TOKEN", "S3_SECRET_ACCESS_KEY"],
    local.with_redis ? ["REDIS_URL"] : [],
  )

  secret_settings = merge(
    { for name in local.given_secrets : name => {
      secret  = google_secret_manager_secret.setting[name].secret_id
      version = lookup(var.secret_versions, name, "1")
    } },
    { for name in local.made_secret_names : name => {
      secret  = google_secret_manager_secret.setting[name].secret_id
      version = google_secret_manager_secret_version.made[name].version
    } },
  )
}

resource "random_password" "database" {
  length  = 40
  special = false
}

resource "random_password" "task_token" {
  for_each = toset(var.task_tokens)

  length  = 48
  special = false
}

resource "google_secret_manager_secret" "setting" {
  for_each = setunion(local.given_secrets, local.made_secret_names)

  secret_id           = "${var.name}-${lower(replace(each.key, "_", "-"))}"
  deletion_protection = var.deletion_protection

  replication {
    auto {}
  }

  depends_on = [google_project_service.api]
}

resource "google_secret_manager_secret_version" "made" {
  for_each = local.made_secret_names

  secret      = google_secret_manager_secret.setting[each.key].id
  secret_data = local.made_secrets[each.key]

  # The revision before still reads the version before; it is destroyed by hand once that one is gone.
  deletion_policy = "ABANDON"
}
