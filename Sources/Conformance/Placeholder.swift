// Replaced by the first rule.
