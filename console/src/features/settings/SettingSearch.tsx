import { useNavigate } from '@tanstack/react-router';
import { useId, useState } from 'react';
import { useT } from '#/lib/i18n';
import { focusField } from '#/resource/form/focus-field';
import { TextInput } from '#/ui/field';
import type { Loaded, SettingState } from './api';

const MOST = 8;

function matches(loaded: Loaded, setting: SettingState, words: string): boolean {
  const meta = loaded.fields[setting.name];
  const text =
    `${setting.name} ${meta?.label ?? ''} ${meta?.help_text ?? ''} ${setting.section}`.toLowerCase();
  return words.split(/\s+/).every((word) => text.includes(word));
}

/** Finds a setting by its label, its help or its name, and opens its form there. */
export function SettingSearch({ loaded }: { readonly loaded: Loaded }) {
  const t = useT();
  const navigate = useNavigate();
  const listId = useId();
  const [text, setText] = useState('');
  const words = text.trim().toLowerCase();
  const found =
    words === '' ? [] : loaded.settings.filter((one) => matches(loaded, one, words)).slice(0, MOST);
  const open = async (setting: SettingState) => {
    setText('');
    await navigate({ to: '/settings', search: { activeTab: setting.category }, replace: true });
    setTimeout(() => focusField(setting.name));
  };
  // i18n: settings:tab.*
  return (
    <div role="search" className="settings-search">
      <TextInput
        type="search"
        aria-label={t('settings:find')}
        aria-controls={listId}
        placeholder={t('settings:find')}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') setText('');
          if (event.key === 'Enter' && found[0]) void open(found[0]);
        }}
      />
      <div id={listId} role="status" className={words === '' ? 'sr-only' : 'pt-card settings-found p-1'}>
        {words !== '' && found.length === 0 && (
          <p className="px-2.5 py-1.5 text-ink-3">{t('settings:not_found')}</p>
        )}
        {found.map((one) => (
          <button
            key={one.name}
            type="button"
            className="grid min-h-8 w-full rounded-1 px-2.5 py-1 text-left hover:bg-hover"
            onClick={() => void open(one)}
          >
            <span>{loaded.fields[one.name]?.label ?? one.name}</span>
            <span className="text-meta text-ink-3">{t(`settings:tab.${one.category}`)}</span>
          </button>
        ))}
      </div>
    </div>
  );
}
