import type { components, lists } from '#/generated/api';

type Schemas = components['schemas'];

/** What the API answers under this name; `…Request` is what it takes. A field that the server does not have is a type error. */
export type Api<Name extends keyof Schemas> = Schemas[Name];

/** By path below `/api/v1/`: what a list's rows are, what is written to make one, by what they can be narrowed. */
export type ApiLists = lists;
