# Who may do what. Nobody uses the project's default account.

# The processes: they create tasks, read their own secrets and connect to the database. That is all.
resource "google_service_account" "runtime" {
  account_id   = "${var.name}-runtime"
  display_name = "Estafet: gateway, tasks, command line"

  depends_on = [google_project_service.api]
}

# Cloud Tasks and Cloud Scheduler when they call the service `tasks`. It may do nothing else.
resource "google_service_account" "caller" {
  account_id   = "${var.name}-caller"
  display_name = "Estafet: calls the internal endpoints"

  depends_on = [google_project_service.api]
}

# The owner of the key to the bucket with files.
resource "google_service_account" "media" {
  account_id   = "${var.name}-media"
  display_name = "Estafet: files"

  depends_on = [google_project_service.api]
}

resource "google_project_iam_member" "runtime" {
  for_each = toset(concat(
    ["roles/cloudsql.client"],
    local.with_firestore ? ["roles/datastore.user"] : [],
  ))

  project = var.project
  role    = each.key
  member  = google_service_account.runtime.member
}

resource "google_cloud_tasks_queue_iam_member" "runtime" {
  for_each = merge(google_cloud_tasks_queue.inbound, google_cloud_tasks_queue.outbound)

  location = var.region
  name     = each.value.name
  role     = "roles/cloudtasks.enqueuer"
  member   = google_service_account.runtime.member
}

resource "google_secret_manager_secret_iam_member" "runtime" {
  for_each = google_secret_manager_secret.setting

  secret_id = each.value.id
  role      = "roles/secretmanager.secretAccessor"
  member    = google_service_account.runtime.member
}

resource "google_cloud_run_v2_service_iam_member" "caller" {
  location = var.region
  name     = google_cloud_run_v2_service.estafet["tasks"].name
  role     = "roles/run.invoker"
  member   = google_service_account.caller.member
}

resource "google_storage_bucket_iam_member" "media" {
  bucket = google_storage_bucket.media.name
  role   = "roles/storage.objectUser"
  member = google_service_account.media.member
}
