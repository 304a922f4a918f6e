"""Tables of human judgements: rankings of systems, annotators, and correlations of metrics."""
