# Tenants are hashed onto queues by name: a queue more or less moves few of them, which is harmless, because the database
# decides what is due. The name of a deleted queue cannot be used again for some days.

locals {
  outbound_queue_names = [for number in range(var.outbound_queues.count) : "${var.name}-outbound-${number + 1}"]
  inbound_queue_names  = [for number in range(var.inbound_queues.count) : "${var.name}-inbound-${number + 1}"]
}

resource "google_cloud_tasks_queue" "inbound" {
  for_each = toset(local.inbound_queue_names)

  name     = each.key
  location = var.region

  rate_limits {
    max_dispatches_per_second = var.inbound_queues.max_dispatches_per_second
    max_concurrent_dispatches = var.inbound_queues.max_concurrent_dispatches
  }

  retry_config {
    min_backoff   = "${var.task_retries.min_backoff_seconds}s"
    max_backoff   = "${var.task_retries.max_backoff_seconds}s"
    max_doublings = var.task_retries.max_doublings
    max_attempts  = var.task_retries.max_attempts
  }

  # Google signs every task with this identity, so the gateway itself needs no right to act as it; Cloud Run checks it.
  # CLOUD_TASKS_SERVICE_ACCOUNT stays unset: Cloud Run hands tokens on without their signature, so nobody could check again.
  http_target {
    oidc_token {
      service_account_email = google_service_account.caller.email
      audience              = local.tasks_url
    }
  }

  depends_on = [google_project_service.api]
}

resource "google_cloud_tasks_queue" "outbound" {
  for_each = toset(local.outbound_queue_names)

  name     = each.key
  location = var.region

  rate_limits {
    max_dispatches_per_second = var.outbound_queues.max_dispatches_per_second
    max_concurrent_dispatches = var.outbound_queues.max_concurrent_dispatches
  }

  retry_config {
    min_backoff   = "${var.task_retries.min_backoff_seconds}s"
    max_backoff   = "${var.task_retries.max_backoff_seconds}s"
    max_doublings = var.task_retries.max_doublings
    max_attempts  = var.task_retries.max_attempts
  }

  http_target {
    oidc_token {
      service_account_email = google_service_account.caller.email
      audience              = local.tasks_url
    }
  }

  depends_on = [google_project_service.api]
}

# Everything periodic, and what a lost task left behind.
resource "google_cloud_scheduler_job" "sweep" {
  name             = "${var.name}-sweep"
  description      = "One round of everything periodic: lost tasks, leases, retention, alerts."
  region           = var.region
  schedule         = var.sweep_schedule
  time_zone        = "Etc/UTC"
  attempt_deadline = "300s"

  # The next round is a minute away.
  retry_config {
    retry_count = 0
  }

  http_target {
    http_method = "POST"
    uri         = "${local.tasks_url}/internal/sweep"
    headers = {
      "X-Internal-Token" = random_password.task_token[var.task_tokens[0]].result
    }
    oidc_token {
      service_account_email = google_service_account.caller.email
      audience              = local.tasks_url
    }
  }

  depends_on = [google_cloud_run_v2_service.estafet]
}
