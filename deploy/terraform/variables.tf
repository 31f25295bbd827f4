variable "project" {
  description = "Id of the Google Cloud project."
  type        = string
}

variable "region" {
  description = "Region of everything, e.g. europe-west1. It must have Cloud Run, Cloud Tasks and Cloud Scheduler."
  type        = string
}

variable "name" {
  description = "First part of the names of everything that is made."
  type        = string
  default     = "estafet"

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{1,19}$", var.name))
    error_message = "Use 2 to 20 lower-case letters, digits and hyphens, beginning with a letter."
  }
}

variable "image" {
  description = "The image to run, with a tag or a digest, in an Artifact Registry repository this project may read."
  type        = string

  validation {
    condition     = can(regex("(@sha256:[0-9a-f]{64}|:[A-Za-z0-9_.-]+)$", var.image)) && !endswith(var.image, ":latest")
    error_message = "Name a tag other than latest, or a digest: a revision must mean the same image tomorrow."
  }
}

variable "environment" {
  description = "ESTAFET_ENV: staging or production. Both refuse weak secrets."
  type        = string
  default     = "production"

  validation {
    condition     = contains(["staging", "production"], var.environment)
    error_message = "Use staging or production."
  }
}

variable "public_url" {
  description = "Where browsers and Meta reach the gateway, when that is a domain of your own. Null: the address Cloud Run gives."
  type        = string
  default     = null

  validation {
    condition     = var.public_url == null || can(regex("^https://[^/?#]+$", var.public_url))
    error_message = "Use an https address without a path."
  }
}

variable "meta_app_id" {
  description = "META_APP_ID: id of the Meta app. Without it nobody can sign up and tokens are not checked."
  type        = string
  default     = null
}

variable "meta_config_id" {
  description = "META_CONFIG_ID: the Facebook Login for Business configuration of Embedded Signup."
  type        = string
  default     = null
}

variable "extra_settings" {
  description = "Any other settings of docs/configuration.md that are no secrets, by name."
  type        = map(string)
  default     = {}

  validation {
    condition     = alltrue([for name in keys(var.extra_settings) : can(regex("^[A-Z][A-Z0-9_]*$", name))])
    error_message = "Names of settings are upper-case, as in docs/configuration.md."
  }
  validation {
    condition     = !contains(keys(var.extra_settings), "CLOUD_TASKS_SERVICE_ACCOUNT")
    error_message = "Cloud Run hands identity tokens on without their signature: with this set, every task would be refused."
  }
  validation {
    condition = length(setintersection(keys(var.extra_settings), [
      "ADMIN_API_KEY", "DATABASE_URL", "ENCRYPTION_KEYS", "INTERNAL_TASK_TOKEN", "META_APP_SECRET", "META_VERIFY_TOKEN",
      "OTEL_EXPORTER_OTLP_HEADERS", "PAGERDUTY_ROUTING_KEY", "REDIS_URL", "S3_SECRET_ACCESS_KEY", "SLACK_WEBHOOK_URL",
    ])) == 0
    error_message = "Secrets do not belong here: whoever may look at the service could read them."
  }
}

variable "optional_secrets" {
  description = "Which secret settings that may be left out there are; their values are added to Secret Manager by hand."
  type        = set(string)
  default     = []

  validation {
    condition     = length(setsubtract(var.optional_secrets, ["OTEL_EXPORTER_OTLP_HEADERS", "PAGERDUTY_ROUTING_KEY", "SLACK_WEBHOOK_URL"])) == 0
    error_message = "Use any of OTEL_EXPORTER_OTLP_HEADERS, PAGERDUTY_ROUTING_KEY and SLACK_WEBHOOK_URL."
  }
}

variable "secret_versions" {
  description = "Which version of each secret that was added by hand is used; 1 unless said. A new number makes a new revision, so that all instances change together and the old revision can be gone back to."
  type        = map(string)
  default     = {}

  validation {
    condition     = alltrue([for version in values(var.secret_versions) : can(regex("^[1-9][0-9]*$", version))])
    error_message = "Use the number of a version."
  }
}

variable "task_tokens" {
  description = "Names of the tokens in INTERNAL_TASK_TOKEN, the first is the one that is sent. To roll it: add a new name at the end and apply, move it to the front and apply, take the old one out and apply. A task that still carries the old one is refused, and its row found by the sweep."
  type        = list(string)
  default     = ["first"]

  validation {
    condition     = length(var.task_tokens) > 0 && length(distinct(var.task_tokens)) == length(var.task_tokens)
    error_message = "Name at least one, and none twice."
  }
}

variable "gateway" {
  description = "Size of the service that Meta, applications and browsers call. Below one instance Meta would wait for a start."
  type = object({
    cpu           = optional(string, "1")
    memory        = optional(string, "1Gi")
    concurrency   = optional(number, 200)
    min_instances = optional(number, 1)
    max_instances = optional(number, 4)
  })
  default = {}

  validation {
    condition     = var.gateway.min_instances >= 1 && var.gateway.max_instances >= var.gateway.min_instances
    error_message = "Keep one instance at least, and no more at least than at most."
  }
}

variable "tasks" {
  description = "Size of the service that Cloud Tasks calls. Each request is one task; most of it is waiting for Meta."
  type = object({
    cpu           = optional(string, "1")
    memory        = optional(string, "1Gi")
    concurrency   = optional(number, 50)
    min_instances = optional(number, 1)
    max_instances = optional(number, 6)
  })
  default = {}

  validation {
    condition     = var.tasks.max_instances >= var.tasks.min_instances && var.tasks.max_instances >= 1
    error_message = "No more instances at least than at most, and one at most at least."
  }
}

variable "send_timeout_ms" {
  description = "SEND_TIMEOUT_MS: time limit of one call to Meta. A task needs several times that: files may be handed over first."
  type        = number
  default     = 15000

  validation {
    condition     = var.send_timeout_ms >= 1000 && var.send_timeout_ms <= 60000
    error_message = "Use 1000 to 60000; a task has 300 seconds for everything."
  }
}

variable "inbound_queues" {
  description = "Queues for inbound tasks: how many, and the limits of each."
  type = object({
    count                     = optional(number, 2)
    max_dispatches_per_second = optional(number, 100)
    max_concurrent_dispatches = optional(number, 50)
  })
  default = {}

  validation {
    condition     = var.inbound_queues.count >= 1
    error_message = "At least one."
  }
  validation {
    condition     = var.inbound_queues.max_dispatches_per_second >= 50 && var.inbound_queues.max_dispatches_per_second <= 500
    error_message = "Inbound queues dispatch 50 to 500 tasks a second; Cloud Tasks allows no more."
  }
  validation {
    condition     = var.inbound_queues.max_concurrent_dispatches >= 50
    error_message = "Inbound queues have at least 50 tasks under way."
  }
}

variable "outbound_queues" {
  description = "Queues for outbound tasks: how many, and the limits of each. A tenant's tasks go to one of them, so a tenant whose sends fail slows down only the tenants that share its queue."
  type = object({
    count                     = optional(number, 8)
    max_dispatches_per_second = optional(number, 20)
    max_concurrent_dispatches = optional(number, 20)
  })
  default = {}

  validation {
    condition     = var.outbound_queues.count >= 2
    error_message = "At least two, or one tenant's trouble slows all."
  }
  validation {
    condition     = var.outbound_queues.max_dispatches_per_second >= 5 && var.outbound_queues.max_dispatches_per_second <= 20
    error_message = "Outbound queues dispatch 5 to 20 tasks a second; Meta refuses more."
  }
  validation {
    condition     = var.outbound_queues.max_concurrent_dispatches >= 5 && var.outbound_queues.max_concurrent_dispatches <= 20
    error_message = "Outbound queues have 5 to 20 tasks under way."
  }
}

variable "task_retries" {
  description = "How Cloud Tasks repeats a task that was answered with an error. Sends have their own schedule in the database; this is for when the gateway itself cannot work. What runs out of attempts is found by the sweep."
  type = object({
    min_backoff_seconds = optional(number, 5)
    max_backoff_seconds = optional(number, 600)
    max_doublings       = optional(number, 7)
    max_attempts        = optional(number, 10)
  })
  default = {}

  validation {
    condition     = var.task_retries.min_backoff_seconds >= 5
    error_message = "The least wait is 5 seconds."
  }
  validation {
    condition     = var.task_retries.max_backoff_seconds <= 600 && var.task_retries.max_backoff_seconds >= var.task_retries.min_backoff_seconds
    error_message = "The longest wait is 600 seconds, and not below the least."
  }
  validation {
    condition     = var.task_retries.max_attempts >= 1 && var.task_retries.max_attempts <= 100
    error_message = "1 to 100 attempts; without an end a task that nobody needs is repeated for a month."
  }
}

variable "sweep_schedule" {
  description = "When everything periodic runs (lost tasks, leases, retention, alerts), as a cron expression. Every minute is the most often Cloud Scheduler can do."
  type        = string
  default     = "* * * * *"
}

variable "database" {
  description = "The Cloud SQL instance: its name when it is not <name>-postgres (after a restore into a new one), machine, first disk size, a standby in a second zone, how many daily backups and days of log are kept."
  type = object({
    instance          = optional(string)
    tier              = optional(string, "db-custom-2-7680")
    disk_gb           = optional(number, 20)
    high_availability = optional(bool, true)
    backups           = optional(number, 14)
    log_days          = optional(number, 7)
  })
  default = {}

  validation {
    condition     = var.database.log_days >= 1 && var.database.log_days <= 7 && var.database.backups >= var.database.log_days
    error_message = "Cloud SQL keeps 1 to 7 days of log, and needs as many backups at least."
  }
}

variable "dedupe_store" {
  description = "DEDUPE_STORE: postgres, redis (a Memorystore instance is made) or firestore (the project's default database is made)."
  type        = string
  default     = "postgres"

  validation {
    condition     = contains(["postgres", "redis", "firestore"], var.dedupe_store)
    error_message = "Use postgres, redis or firestore."
  }
}

variable "redis" {
  description = "The Memorystore instance, with dedupe_store = redis."
  type = object({
    memory_gb         = optional(number, 1)
    high_availability = optional(bool, true)
  })
  default = {}
}

variable "firestore_location" {
  description = "Location of the Firestore database, with dedupe_store = firestore: a region or a multi-region such as eur3. Null: the region."
  type        = string
  default     = null
}

variable "deletion_protection" {
  description = "Whether Terraform refuses to delete the services, the database and the bucket."
  type        = bool
  default     = true
}
