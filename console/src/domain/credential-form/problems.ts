import { explain } from '#/lib/http/catalogue';
import { ValidationError } from '#/lib/http/errors';

/** What is wrong with a form, by field; `other` for what concerns none of them. */
export type Problems<Name extends string> = Partial<Readonly<Record<Name | 'other', string>>>;

/** The server's words about these fields; without any, its answer as a whole. */
export function problemsIn<Name extends string>(error: unknown, names: readonly Name[]): Problems<Name> {
  if (error instanceof ValidationError) {
    const problems = names.flatMap((name) => {
      const text = error.fields[name];
      return typeof text === 'string' ? [[name, text] as const] : [];
    });
    if (problems.length > 0) return Object.fromEntries(problems) as Problems<Name>;
  }
  return { other: explain(error) } as Problems<Name>;
}
