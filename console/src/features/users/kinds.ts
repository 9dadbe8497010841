/** Conditions of the two lists of users. */
export const PEOPLE = { kind: 'person' } as const;
export const SERVICES = { kind: 'service' } as const;
