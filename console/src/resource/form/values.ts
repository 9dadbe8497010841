import type { FieldErrors } from '#/lib/http/errors';
import { parseTime } from '#/lib/time';
import { fieldValue } from '#/ui/dates/typed';
import type { FieldMap, FieldMeta } from '../api';
import type { FieldSpec, FormValues } from '../define';

/** How a field is shown, from its metadata and its description in the definition. */
export type ControlKind =
  | 'custom'
  | 'remote'
  | 'radio'
  | 'select'
  | 'switch'
  | 'checkbox'
  | 'datetime'
  | 'password'
  | 'textarea'
  | 'number'
  | 'list'
  | 'choices'
  | 'email'
  | 'url'
  | 'json'
  | 'date'
  | 'time'
  | 'nested'
  | 'key'
  | 'input';

/** With more options than this a choice becomes a select (specification, section 5). */
const RADIO_MAX = 4;

export function controlKind(
  name: string,
  meta: FieldMeta | undefined,
  spec: FieldSpec | undefined,
): ControlKind {
  if (spec?.render) return 'custom';
  if (spec?.remote) return 'remote';
  if (spec?.control) return spec.control;
  switch (meta?.type) {
    case 'choice':
      return (meta.choices?.length ?? 0) > RADIO_MAX ? 'select' : 'radio';
    case 'boolean':
      return 'checkbox';
    case 'datetime':
      return 'datetime';
    case 'integer':
    case 'float':
    case 'decimal':
      return 'number';
    case 'multiple choice':
      return 'choices';
    case 'list':
      return meta.child?.choices ? 'choices' : 'list';
    case 'email':
    case 'url':
    case 'date':
    case 'time':
    case 'json':
      return meta.type;
    case 'nested object':
      return meta.children ? 'nested' : 'json';
    default:
  }
  // Inside of nested objects the last step of the path is the name.
  const own = name.slice(name.lastIndexOf('.') + 1);
  if (own === 'password' || (meta?.type === 'string' && meta.write_only)) return 'password';
  if (own === 'email') return 'email';
  if (own === 'comment' || (meta?.type === 'string' && meta.max_length === undefined)) return 'textarea';
  return 'input';
}

type Specs = Readonly<Record<string, FieldSpec>>;
const NO_SPECS: Specs = {};

/** Fields of a nested object that a form shows. */
export function nestedNames(children: FieldMap): readonly string[] {
  return Object.keys(children).filter((child) => children[child]?.read_only !== true);
}

function childSpecs(name: string, specs: Specs): Specs {
  const prefix = `${name}.`;
  return Object.fromEntries(
    Object.entries(specs)
      .filter(([key]) => key.startsWith(prefix))
      .map(([key, spec]) => [key.slice(prefix.length), spec]),
  );
}

function recordOf(value: unknown): FormValues {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as FormValues) : {};
}

function childrenOf(name: string, fields: FieldMap, specs: Specs): FieldMap | null {
  return controlKind(name, fields[name], specs[name]) === 'nested' ? (fields[name]?.children ?? {}) : null;
}

/** Initial values of an empty form: the metadata's defaults, then the definition's. */
export function initialValues(
  fields: FieldMap,
  names: readonly string[],
  own: FormValues,
  specs: Specs = NO_SPECS,
): FormValues {
  const values: FormValues = {};
  for (const name of names) {
    const initial = name in own ? own[name] : fields[name]?.default;
    const children = childrenOf(name, fields, specs);
    if (children) {
      values[name] = initialValues(
        children,
        nestedNames(children),
        recordOf(initial),
        childSpecs(name, specs),
      );
      continue;
    }
    if (initial === undefined || initial === null) values[name] = emptyOf(fields[name], specs[name]);
    else if (typeof initial === 'object' && isJsonField(name, fields[name], specs)) {
      values[name] = JSON.stringify(initial, null, 2);
    } else values[name] = initial;
  }
  return { ...own, ...values };
}

function emptyOf(meta: FieldMeta | undefined, spec?: FieldSpec): unknown {
  if (spec?.multiple) return [];
  if (meta?.type === 'boolean') return false;
  if (meta?.type === 'list' || meta?.type === 'multiple choice') return [];
  return '';
}

function isJsonField(name: string, meta: FieldMeta | undefined, specs: Specs): boolean {
  return controlKind(name, meta, specs[name]) === 'json';
}

/** Form values of an existing object: date-times in the field's format, no secrets. */
export function objectValues(
  object: FormValues,
  names: readonly string[],
  fields: FieldMap,
  specs: Specs = NO_SPECS,
): FormValues {
  const values: FormValues = {};
  for (const name of names) {
    const meta = fields[name];
    const value = object[name];
    const children = childrenOf(name, fields, specs);
    if (children) {
      values[name] = objectValues(recordOf(value), nestedNames(children), children, childSpecs(name, specs));
      continue;
    }
    if (isJsonField(name, meta, specs) && value !== null && value !== undefined) {
      values[name] = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
      continue;
    }
    if (meta?.write_only || value === null || value === undefined) values[name] = emptyOf(meta, specs[name]);
    else if (meta?.type === 'datetime') {
      const date = parseTime(value);
      values[name] = date ? fieldValue(date, 'datetime') : '';
    } else values[name] = value;
  }
  return values;
}

/**
 * The request body: without hidden, local and read-only fields and without blank secrets (blank means unchanged).
 * Emptied optional values become null where the server accepts null; date-times are ISO 8601.
 */
export function payloadOf(
  values: FormValues,
  names: readonly string[],
  fields: FieldMap,
  specs: Specs,
): FormValues {
  const payload: FormValues = {};
  for (const name of names) {
    const meta = fields[name];
    if (specs[name]?.local || meta?.read_only) continue;
    const value = values[name];
    if (value === undefined) continue;
    const children = childrenOf(name, fields, specs);
    if (children) {
      payload[name] = payloadOf(recordOf(value), nestedNames(children), children, childSpecs(name, specs));
      continue;
    }
    if (isJsonField(name, meta, specs) && typeof value === 'string' && value !== '') {
      payload[name] = JSON.parse(value) as unknown;
      continue;
    }
    if (meta?.write_only && value === '') continue;
    if (specs[name]?.remote && value === '') {
      payload[name] = null;
      continue;
    }
    if (value === '' && meta && meta.type !== 'string' && meta.type !== 'email') {
      if (!meta.required) payload[name] = null;
      continue;
    }
    if (meta?.type === 'datetime' && typeof value === 'string') {
      payload[name] = new Date(value).toISOString();
      continue;
    }
    payload[name] = value;
  }
  return payload;
}

/** A field's errors in one line, including nested ones (list items, sub-objects). */
export function errorText(error: string | FieldErrors): string {
  if (typeof error === 'string') return error;
  return Object.values(error).map(errorText).join('; ');
}
