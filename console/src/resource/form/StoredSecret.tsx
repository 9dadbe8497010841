import { useT } from '#/lib/i18n';
import type { FieldMeta } from '../api';
import type { FieldContext } from '../define';

/** Whether a secret is stored for the field; undefined for other fields, new objects and APIs that do not say. */
export function isSecretStored(
  name: string,
  meta: FieldMeta | undefined,
  { mode, stored }: FieldContext,
): boolean | undefined {
  const names: unknown = stored?.['stored_secrets'];
  if (mode !== 'update' || meta?.type !== 'string' || !meta.write_only || !Array.isArray(names)) {
    return undefined;
  }
  // Inside of nested objects the last step of the path is the name.
  return names.includes(name.slice(name.lastIndexOf('.') + 1));
}

/** Says whether a secret is stored, and removes it with the next save. */
export function StoredSecret({
  label,
  isStored,
  mayRemove,
  value,
  onChange,
}: {
  readonly label: string;
  readonly isStored: boolean;
  readonly mayRemove: boolean;
  /** Null: the stored secret is removed. */
  readonly value: unknown;
  readonly onChange: (value: null | '') => void;
}) {
  const t = useT();
  const isRemoved = isStored && value === null;
  return (
    <p className="mt-1 flex flex-wrap items-center gap-x-2 text-meta text-ink-2" role="status">
      <span className={isRemoved ? 'text-danger' : ''}>
        {isRemoved
          ? t('resource:form.secret.removed')
          : isStored
            ? t('resource:form.secret.stored')
            : t('resource:form.secret.none')}
      </span>
      {isStored && mayRemove && (
        <button
          type="button"
          className="pt-link min-h-6"
          aria-label={t(isRemoved ? 'resource:form.secret.keep_of' : 'resource:form.secret.remove_of', {
            label,
          })}
          onClick={() => onChange(isRemoved ? '' : null)}
        >
          {t(isRemoved ? 'resource:form.secret.keep' : 'resource:form.secret.remove')}
        </button>
      )}
    </p>
  );
}
