/// The edition with UUID ids: its objects and endpoints, by feature.
///
/// Source: `edition-2024-10` of the wire contract. A nullable key is always written, as `null` (``WireEncoder``).
public enum Edition2024_10 {}
