"""Modules shared by several verbs: options, requests, inputs, and common result types."""
