import type { components, lists } from '#/generated/api';

type Schemas = components['schemas'];

/**
 * The type that the API returns under this name; `…Request` is the type that it accepts. Unknown fields are type
 * errors.
 */
export type Api<Name extends keyof Schemas> = Schemas[Name];

/**
 * By path below `/api/v1/`: the row type of a list, the body that creates a row, and the query parameters that filter.
 */
export type ApiLists = lists;
