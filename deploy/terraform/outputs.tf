output "webhook_url" {
  description = "Enter it in the Meta app (WhatsApp, Configuration), with the value of META_VERIFY_TOKEN."
  value       = "${local.public_url}/api/webhooks/meta/whatsapp"
}

output "public_url" {
  description = "Where the API and the console are."
  value       = local.public_url
}

output "gateway_url" {
  description = "The address Cloud Run gives to the gateway; a domain of your own points here."
  value       = local.gateway_url
}

output "cli_job" {
  description = "The job that runs commands: gcloud run jobs execute <this> --args=…"
  value       = google_cloud_run_v2_job.cli.name
}

output "secrets_to_add" {
  description = "Secrets that wait for a version: gcloud secrets versions add <this> --data-file=-"
  value       = [for name in local.given_secrets : google_secret_manager_secret.setting[name].secret_id]
}

output "database_instance" {
  description = "For backups, restores and the Cloud SQL proxy."
  value       = google_sql_database_instance.this.connection_name
}
