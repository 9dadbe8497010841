import { useMemo, useState } from 'react';
import type { Option } from '#/ui/choice';
import type { ControlAttributes } from '#/ui/field';
import { Picker } from '#/ui/picker';

const NOTHING = () => {};

/** Choice among many fixed options; typing filters them. */
export function FilterSelect({
  control,
  label,
  options,
  value,
  onChange,
  disabled,
}: {
  readonly control: ControlAttributes;
  readonly label: string;
  readonly options: readonly Option[];
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly disabled: boolean;
}) {
  const [text, setText] = useState('');
  const all = useMemo(() => options.map((option) => ({ id: option.value, label: option.label })), [options]);
  const wanted = text.trim().toLowerCase();
  const shown = all.filter((option) => option.label.toLowerCase().includes(wanted));
  return (
    <Picker
      control={control}
      label={label}
      multiple={false}
      chosen={all.filter((option) => option.id === value)}
      onChange={(chosen) => onChange(chosen[0]?.id ?? '')}
      options={shown}
      total={shown.length}
      state="ready"
      onSearch={setText}
      onOpenChange={NOTHING}
      onNearEnd={NOTHING}
      disabled={disabled}
    />
  );
}
