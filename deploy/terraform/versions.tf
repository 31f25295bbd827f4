terraform {
  required_version = ">= 1.9"

  required_providers {
    google = {
      source  = "hashicorp/google"
      version = "~> 7.45"
    }
    random = {
      source  = "hashicorp/random"
      version = "~> 3.7"
    }
  }

  # The state holds the secrets that are made here, so it lives in a private bucket:
  # terraform init -backend-config=bucket=<bucket> -backend-config=prefix=estafet
  backend "gcs" {}
}

provider "google" {
  project = var.project
  region  = var.region
}
