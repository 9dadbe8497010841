import { Plus, X } from 'lucide-react';
import { ASSET_PROTOCOLS, JOB_PROTOCOLS } from '#/domain/protocols';
import { useT } from '#/lib/i18n';
import type { CustomInput } from '#/resource/define';
import { Button, IconButton } from '#/ui/button';
import { TextInput } from '#/ui/field';
import { Select } from '#/ui/select';

const DEFAULT_PORT: Readonly<Record<string, number>> = {
  ssh: 22,
  rdp: 3389,
  telnet: 23,
  vnc: 5901,
  winrm: 5986,
};

function split(entry: string): { protocol: string; port: string } {
  const [protocol = 'ssh', port = ''] = entry.split('/');
  return { protocol, port };
}

/** One to five rows of protocol and port; each protocol at most once. i18n: assets:protocol.about_* */
export function ProtocolsField({ input }: { readonly input: CustomInput }) {
  const t = useT();
  const entries = (Array.isArray(input.value) ? input.value.map(String) : []).map(split);
  const set = (next: readonly { protocol: string; port: string }[]) =>
    input.onChange(next.map(({ protocol, port }) => `${protocol}/${port}`));
  const free = ASSET_PROTOCOLS.filter((protocol) => !entries.some((entry) => entry.protocol === protocol));
  return (
    <div
      className="grid max-w-md gap-2"
      role="group"
      aria-label={input.label}
      aria-describedby={input.describedBy}
      id={input.id}
    >
      {entries.map((entry, index) => (
        <div key={entry.protocol} className="flex flex-wrap items-center gap-2">
          <Select
            label={t('assets:protocol.name', { index: index + 1 })}
            className="w-28 sm:w-32"
            options={[entry.protocol, ...free].map((protocol) => ({ value: protocol, label: protocol }))}
            value={entry.protocol}
            isDisabled={input.disabled}
            onChange={(protocol) =>
              set(
                entries.map((other, at) =>
                  at === index ? { protocol, port: String(DEFAULT_PORT[protocol]) } : other,
                ),
              )
            }
          />
          <TextInput
            type="number"
            min={1}
            max={65535}
            className="w-20! sm:w-28!"
            aria-label={t('assets:protocol.port', { protocol: entry.protocol })}
            aria-invalid={input.invalid || undefined}
            value={entry.port}
            disabled={input.disabled}
            onChange={(event) =>
              set(entries.map((other, at) => (at === index ? { ...other, port: event.target.value } : other)))
            }
          />
          <IconButton
            kind="text"
            icon={X}
            label={t('ui:picker.remove', { label: entry.protocol })}
            disabledReason={entries.length === 1 ? t('assets:protocol.last') : undefined}
            onClick={() => set(entries.filter((_, at) => at !== index))}
          />
        </div>
      ))}
      {JOB_PROTOCOLS.filter((name) => entries.some(({ protocol }) => protocol === name)).map((name) => (
        <p key={name} className="text-meta text-ink-3">
          {t(`assets:protocol.about_${name}`)}
        </p>
      ))}
      {free.length > 0 && !input.disabled && (
        <span>
          <Button
            size="sm"
            icon={Plus}
            onClick={() => {
              const [protocol = 'ssh'] = free;
              set([...entries, { protocol, port: String(DEFAULT_PORT[protocol]) }]);
            }}
          >
            {t('assets:protocol.add')}
          </Button>
        </span>
      )}
    </div>
  );
}
