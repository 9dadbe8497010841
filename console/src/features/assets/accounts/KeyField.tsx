import { Upload } from 'lucide-react';
import { useRef } from 'react';
import { useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { Field, TextArea } from '#/ui/field';

/** A larger file is no private key. */
const MAX_KEY_BYTES = 32_768;

/** A private key, typed or read from a file. */
export function KeyField({
  value,
  error,
  onChange,
  onProblem,
}: {
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (value: string) => void;
  readonly onProblem: (problem: string) => void;
}) {
  const t = useT();
  const file = useRef<HTMLInputElement>(null);
  const read = async (chosen: File | undefined) => {
    if (chosen === undefined) return;
    if (chosen.size > MAX_KEY_BYTES) {
      onProblem(t('accounts:update.too_large'));
      return;
    }
    onChange(await chosen.text());
    onProblem('');
  };
  return (
    <>
      <Field
        label={t('accounts:secret.private_key')}
        layout="above"
        help={t('assets:form.private_key_help')}
        error={error}
      >
        {(control) => (
          <TextArea
            {...control}
            name="private_key"
            rows={5}
            className="font-mono text-meta"
            placeholder="-----BEGIN OPENSSH PRIVATE KEY-----"
            value={value}
            onChange={(event) => onChange(event.target.value)}
          />
        )}
      </Field>
      <span>
        <input
          ref={file}
          type="file"
          hidden
          aria-label={t('accounts:update.file')}
          onChange={(event) => {
            void read(event.target.files?.[0]);
            event.target.value = '';
          }}
        />
        <Button size="sm" icon={Upload} onClick={() => file.current?.click()}>
          {t('accounts:update.file')}
        </Button>
      </span>
    </>
  );
}
