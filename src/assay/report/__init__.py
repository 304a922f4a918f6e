"""Tables and figures for people and programs."""
