import { Check, ChevronDown } from 'lucide-react';
import {
  Button,
  I18nProvider,
  ListBox,
  ListBoxItem,
  Popover,
  Select as AriaSelect,
  SelectValue,
} from 'react-aria-components';
import { currentLocale, useT } from '#/lib/i18n';
import type { Option } from './choice';

/** One of a few fixed options. */
export function Select({
  label,
  id,
  options,
  value,
  onChange,
  isDisabled,
  isInvalid,
  describedBy,
  className = '',
  placeholder,
  quiet = false,
}: {
  /** Name when no visible label points at `id`. */
  readonly label: string;
  readonly id?: string;
  readonly options: readonly Option[];
  readonly value: string | null;
  readonly onChange: (value: string) => void;
  readonly isDisabled?: boolean;
  readonly isInvalid?: boolean;
  readonly describedBy?: string;
  readonly className?: string;
  readonly placeholder?: string;
  /** Muted outline, where label or position are clear enough. */
  readonly quiet?: boolean;
}) {
  const t = useT();
  return (
    <I18nProvider locale={currentLocale()}>
      <AriaSelect
        aria-label={label}
        aria-describedby={describedBy}
        selectedKey={value}
        onSelectionChange={(key) => {
          if (key !== null) onChange(String(key));
        }}
        isDisabled={isDisabled}
        isInvalid={isInvalid}
        placeholder={placeholder ?? t('ui:picker.choose')}
        className={className}
      >
        <Button
          id={id}
          className={`pt-field flex items-center gap-2 text-left ${quiet ? 'pt-field-quiet' : ''}`}
          data-invalid={isInvalid || undefined}
        >
          <SelectValue className="grow truncate data-placeholder:text-ink-3" />
          <ChevronDown className="text-ink-3" aria-hidden />
        </Button>
        <Popover offset={4} className="pt-popover min-w-(--trigger-width)">
          <ListBox className="max-h-[inherit] overflow-auto p-1 outline-none">
            {options.map((option) => (
              <ListBoxItem key={option.value} id={option.value} textValue={option.label} className="pt-item">
                {({ isSelected }) => (
                  <>
                    <span className="grow">{option.label}</span>
                    {isSelected && <Check aria-hidden />}
                  </>
                )}
              </ListBoxItem>
            ))}
          </ListBox>
        </Popover>
      </AriaSelect>
    </I18nProvider>
  );
}
