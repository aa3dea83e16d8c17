/// The edition with integer ids and channels by name: its objects and endpoints, by feature.
///
/// Source: `edition-2024-01` of the wire contract. A nullable key is always written, as `null` (``WireEncoder``).
public enum Edition2024_01 {}
