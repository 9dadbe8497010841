import type { FieldErrors } from '#/lib/http/errors';
import type { FieldMap } from '../api';
import { errorText } from './values';

export interface SortedErrors {
  /** Message by field; fields of nested objects as `object.field`. */
  readonly fields: ReadonlyMap<string, string>;
  /** Messages that belong to no field of the form. */
  readonly general: readonly string[];
}

/** Assigns the server's field errors to the fields of a form; nested maps belong to the nested object of that name. */
export function sortErrors(errors: FieldErrors, names: readonly string[], metas: FieldMap): SortedErrors {
  const fields = new Map<string, string>();
  const general: string[] = [];
  const shown = new Set(names);
  const visit = (problems: FieldErrors, map: FieldMap, prefix: string) => {
    for (const [field, problem] of Object.entries(problems)) {
      const name = prefix + field;
      const children = map[field]?.children;
      if (field === 'non_field_errors') general.push(errorText(problem));
      else if (children && typeof problem !== 'string') visit(problem, children, `${name}.`);
      // A message about a nested object as a whole: only its fields have places for messages.
      else if (!children && (shown.has(name) || (prefix !== '' && field in map)))
        fields.set(name, errorText(problem));
      else general.push(`${map[field]?.label ?? field}: ${errorText(problem)}`);
    }
  };
  visit(errors, metas, '');
  return { fields, general };
}
