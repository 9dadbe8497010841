/** Compatibility level of the API, shown beside the console's own version. */
export const API_LEVEL = 'v2.13.2';
