# Files, in a bucket that is spoken to as if it were S3. Instances keep nothing on disk.

resource "google_storage_bucket" "media" {
  name                        = "${var.project}-${var.name}-media"
  location                    = var.region
  uniform_bucket_level_access = true
  public_access_prevention    = "enforced"
  force_destroy               = !var.deletion_protection

  # What the gateway deletes is gone: retention and erasure mean what they say.
  soft_delete_policy {
    retention_duration_seconds = 0
  }

  depends_on = [google_project_service.api]
}

resource "google_storage_hmac_key" "media" {
  service_account_email = google_service_account.media.email
}
