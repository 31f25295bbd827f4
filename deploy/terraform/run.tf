locals {
  services = {
    gateway = {
      size      = var.gateway
      roles     = "api,console"
      ingress   = "INGRESS_TRAFFIC_ALL"
      is_public = true
      # Event streams stay open; Cloud Run allows an hour.
      timeout_seconds = 3600
      # Streams and heartbeats go on between requests, and so does the making of a task for which Meta's answer could not wait.
      cpu_only_in_requests = false
    }
    tasks = {
      size                 = var.tasks
      roles                = "api"
      ingress              = "INGRESS_TRAFFIC_INTERNAL_ONLY"
      is_public            = false
      timeout_seconds      = 300
      cpu_only_in_requests = true
    }
  }
  # What the queues may have under way at once.
  tasks_under_way = (
    var.inbound_queues.count * var.inbound_queues.max_concurrent_dispatches +
    var.outbound_queues.count * var.outbound_queues.max_concurrent_dispatches
  )
}

resource "google_cloud_run_v2_service" "estafet" {
  for_each = local.services

  name                 = "${var.name}-${each.key}"
  location             = var.region
  ingress              = each.value.ingress
  invoker_iam_disabled = each.value.is_public
  custom_audiences     = each.value.is_public ? [] : [local.tasks_url]
  deletion_protection  = var.deletion_protection

  scaling {
    min_instance_count = each.value.size.min_instances
  }

  template {
    service_account                  = google_service_account.runtime.email
    timeout                          = "${each.value.timeout_seconds}s"
    max_instance_request_concurrency = each.value.size.concurrency

    scaling {
      max_instance_count = each.value.size.max_instances
    }

    containers {
      image = var.image

      ports {
        container_port = 8080
      }

      resources {
        cpu_idle          = each.value.cpu_only_in_requests
        startup_cpu_boost = true
        limits = {
          cpu    = each.value.size.cpu
          memory = each.value.size.memory
        }
      }

      # Migrations run before it listens; four minutes is the most that Cloud Run waits. A longer one: run the job first.
      startup_probe {
        period_seconds    = 5
        timeout_seconds   = 4
        failure_threshold = 48
        http_get {
          path = "/readyz"
        }
      }

      # Not /readyz: a database that is away is no reason to start the process again.
      liveness_probe {
        period_seconds    = 30
        timeout_seconds   = 5
        failure_threshold = 3
        http_get {
          path = "/healthz"
        }
      }

      env {
        name  = "ROLES"
        value = each.value.roles
      }
      dynamic "env" {
        for_each = local.plain_settings
        content {
          name  = env.key
          value = env.value
        }
      }
      dynamic "env" {
        for_each = local.secret_settings
        content {
          name = env.key
          value_source {
            secret_key_ref {
              secret  = env.value.secret
              version = env.value.version
            }
          }
        }
      }

      volume_mounts {
        name       = "cloudsql"
        mount_path = "/cloudsql"
      }
    }

    volumes {
      name = "cloudsql"
      cloud_sql_instance {
        instances = [google_sql_database_instance.this.connection_name]
      }
    }

    dynamic "vpc_access" {
      for_each = google_compute_subnetwork.this
      content {
        egress = "PRIVATE_RANGES_ONLY"
        network_interfaces {
          subnetwork = vpc_access.value.id
        }
      }
    }
  }

  lifecycle {
    precondition {
      condition     = var.tasks.max_instances * var.tasks.concurrency >= local.tasks_under_way
      error_message = "The queues may have ${local.tasks_under_way} tasks under way: raise tasks.max_instances or tasks.concurrency, or the rest is answered with 429 and slows the queues down."
    }
  }

  depends_on = [
    google_cloud_tasks_queue_iam_member.runtime,
    google_project_iam_member.runtime,
    google_project_service.api,
    google_secret_manager_secret_iam_member.runtime,
    google_sql_database.this,
    google_sql_user.this,
  ]
}

# The command line, beside the gateway: gcloud run jobs execute estafet-cli --args=tenant,create,"Kowalski Law"
resource "google_cloud_run_v2_job" "cli" {
  name                = "${var.name}-cli"
  location            = var.region
  deletion_protection = var.deletion_protection

  template {
    template {
      service_account = google_service_account.runtime.email
      timeout         = "3600s"
      max_retries     = 0

      containers {
        image = var.image
        args  = ["migrate"]

        dynamic "env" {
          for_each = local.plain_settings
          content {
            name  = env.key
            value = env.value
          }
        }
        dynamic "env" {
          for_each = local.secret_settings
          content {
            name = env.key
            value_source {
              secret_key_ref {
                secret  = env.value.secret
                version = env.value.version
              }
            }
          }
        }

        volume_mounts {
          name       = "cloudsql"
          mount_path = "/cloudsql"
        }
      }

      volumes {
        name = "cloudsql"
        cloud_sql_instance {
          instances = [google_sql_database_instance.this.connection_name]
        }
      }

      dynamic "vpc_access" {
        for_each = google_compute_subnetwork.this
        content {
          egress = "PRIVATE_RANGES_ONLY"
          network_interfaces {
            subnetwork = vpc_access.value.id
          }
        }
      }
    }
  }

  depends_on = [
    google_cloud_tasks_queue_iam_member.runtime,
    google_project_iam_member.runtime,
    google_project_service.api,
    google_secret_manager_secret_iam_member.runtime,
    google_sql_database.this,
    google_sql_user.this,
  ]
}
