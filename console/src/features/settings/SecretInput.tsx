import { useT } from '#/lib/i18n';
import type { CustomInput } from '#/resource/define';
import { Button } from '#/ui/button';
import { PasswordInput, TextInput } from '#/ui/field';
import { useState } from 'react';

/** A stored secret is not shown; it can be replaced or removed. Null removes it. */
export function SecretInput({ input, isSet }: { readonly input: CustomInput; readonly isSet: boolean }) {
  const t = useT();
  const [isOpen, setOpen] = useState(!isSet);
  const { id, value, onChange, invalid, describedBy, disabled } = input;
  const text = typeof value === 'string' ? value : '';
  const attributes = {
    id,
    'aria-describedby': describedBy,
    ...(invalid ? { 'aria-invalid': true as const } : {}),
  };
  if (value === null) {
    return (
      <div className="flex flex-wrap gap-2">
        <TextInput {...attributes} disabled value={t('settings:secret.removed')} />
        <Button onClick={() => onChange('')}>{t('settings:secret.keep')}</Button>
      </div>
    );
  }
  if (isOpen || text !== '') {
    return (
      <PasswordInput
        {...attributes}
        value={text}
        disabled={disabled}
        autoComplete="new-password"
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- the person has just asked for this field
        autoFocus={isSet}
        onChange={(event) => onChange(event.target.value)}
      />
    );
  }
  return (
    <div className="flex flex-wrap gap-2">
      <TextInput {...attributes} disabled value={t('settings:secret.set')} />
      {!disabled && (
        <>
          <Button onClick={() => setOpen(true)}>{t('settings:secret.replace')}</Button>
          <Button onClick={() => onChange(null)}>{t('settings:secret.remove')}</Button>
        </>
      )}
    </div>
  );
}
