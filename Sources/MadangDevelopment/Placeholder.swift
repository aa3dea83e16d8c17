// Replaced by the first feature.
