import type { Translate } from '#/lib/i18n';
import { readClock } from '#/ui/dates/ClockInput';
import { type DateBounds, readTyped, written } from '#/ui/dates/typed';
import type { FieldMeta } from '../api';
import type { FieldRule } from '../define';
import type { ControlKind } from './values';

/** Bounds of the specification (sections 5 and 9), used where the metadata has none. */
const PRIORITY = { min: 1, max: 100 } as const;
const PORT = { min: 1, max: 65_535 } as const;
const CRONTAB_FIELDS = 5;

/** Rules by the last word of a field's name: `port` also applies to `http_port`. */
const RULES_BY_WORD: Readonly<Record<string, FieldRule>> = { port: 'port', crontab: 'crontab' };

export interface Checked {
  readonly name: string;
  readonly kind: ControlKind;
  readonly meta: FieldMeta | undefined;
  readonly required: boolean;
  readonly rule: FieldRule | undefined;
  readonly bounds?: DateBounds;
}

export function isEmpty(value: unknown): boolean {
  return (
    value === '' || value === null || value === undefined || (Array.isArray(value) && value.length === 0)
  );
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function portProblem(value: unknown, meta: FieldMeta | undefined, t: Translate): string | null {
  const port = Number(value);
  const isPort =
    Number.isInteger(port) && port >= (meta?.min_value ?? PORT.min) && port <= (meta?.max_value ?? PORT.max);
  return isPort ? null : t('resource:form.port');
}

function numberProblem(value: unknown, { name, meta }: Checked, t: Translate): string | null {
  const number = Number(value);
  if (Number.isNaN(number)) return t('resource:form.number');
  if (meta?.type === 'integer' && !Number.isInteger(number)) return t('resource:form.whole');
  const isPriority = name === 'priority' || name.endsWith('.priority');
  const min = meta?.min_value ?? (isPriority ? PRIORITY.min : undefined);
  const max = meta?.max_value ?? (isPriority ? PRIORITY.max : undefined);
  if (min !== undefined && number < min) return t('resource:form.min', { min });
  if (max !== undefined && number > max) return t('resource:form.max', { max });
  return null;
}

// i18n: ui:date.*
function textProblem(text: string, { kind, bounds }: Checked, t: Translate): string | null {
  if (kind === 'email' && !/^[^@\s]+@[^@\s]+$/.test(text)) return t('resource:form.email');
  if (kind === 'date' || kind === 'datetime') {
    const typed = readTyped(written(text), kind, bounds);
    return 'problem' in typed ? t(typed.problem.key, typed.problem.values) : null;
  }
  if (kind === 'time' && readClock(text, true) === null) return t('ui:clock_shape');
  if (kind === 'json' && !isJson(text)) return t('resource:form.json');
  return null;
}

/** The validation error of a value in the person's language; null when the value is valid. */
export function problemOf(value: unknown, checked: Checked, t: Translate): string | null {
  if (isEmpty(value)) return checked.required ? t('resource:form.required') : null;
  const rule = checked.rule ?? RULES_BY_WORD[checked.name.split(/[._]/).at(-1) ?? ''];
  if (rule === 'port') return portProblem(value, checked.meta, t);
  if (rule === 'crontab') {
    const fields = String(value as string)
      .trim()
      .split(/\s+/);
    return fields.length === CRONTAB_FIELDS ? null : t('resource:form.crontab');
  }
  if (checked.kind === 'number') return numberProblem(value, checked, t);
  return typeof value === 'string' ? textProblem(value, checked, t) : null;
}
