import { useT } from '#/lib/i18n';
import { RadioGroup } from '#/ui/choice';
import type { FileType } from './import-file';

const FORMATS = [
  { value: 'csv', label: 'CSV' },
  { value: 'xlsx', label: 'Excel (xlsx)' },
] as const;

/** Choice of csv or xlsx. */
export function FormatChoice({
  value,
  onChange,
  disabled,
}: {
  readonly value: FileType;
  readonly onChange: (format: FileType) => void;
  readonly disabled?: boolean;
}) {
  const t = useT();
  return (
    <fieldset>
      <legend className="mb-1.5 text-meta font-semibold text-ink-2">{t('exchange:format')}</legend>
      <RadioGroup
        name="exchange-format"
        options={FORMATS}
        value={value}
        disabled={disabled}
        onChange={(format) => onChange(format === 'xlsx' ? 'xlsx' : 'csv')}
      />
    </fieldset>
  );
}
