/** Compatibility level of the API, shown beside our own version (rulings). */
export const API_LEVEL = 'v2.13.2';
