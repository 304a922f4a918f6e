"""Modules that several verbs share: options, requests, inputs, and results of the same kind."""
