/** Seeds that every server has. */
export const SEEDS = ["courtyard", "empty", "crowded", "edge"];
