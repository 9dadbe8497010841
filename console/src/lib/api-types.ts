import type { components } from '#/generated/api';

type Schemas = components['schemas'];

/** What the API answers under this name; `…Request` is what it takes. A field that the server does not have is a type error. */
export type Api<Name extends keyof Schemas> = Schemas[Name];
