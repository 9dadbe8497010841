import { useState } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { explain } from '#/lib/http/catalogue';
import { HttpError, ValidationError } from '#/lib/http/errors';
import { useT } from '#/lib/i18n';
import type { FormValues } from '#/resource/define';
import { sortErrors } from '#/resource/form/server-errors';
import { toast } from '#/ui/toast';
import { type Loaded, refreshPublicSettings, saveSettings } from './api';
import { type Category, FORMS } from './categories';

/** Why a save was refused as a whole. With `isStale` the settings must be loaded again. */
interface Problem {
  readonly text: string;
  readonly isStale: boolean;
}

function emptySecrets(loaded: Loaded): FormValues {
  return Object.fromEntries(loaded.settings.filter((one) => one.is_secret).map((one) => [one.name, '']));
}

export function startValues(loaded: Loaded): FormValues {
  return { ...loaded.values, ...emptySecrets(loaded) };
}

/** One form for all categories, so that unsaved values survive a change of the tab. Each category is saved alone. */
export function useSettingsForm(loaded: Loaded, reload: () => Promise<Loaded | undefined>) {
  const t = useT();
  const [version, setVersion] = useState(loaded.version);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState(false);
  const [focusWanted, setFocusWanted] = useState(0);
  const form = useForm<FormValues>({
    defaultValues: startValues(loaded),
    mode: 'onTouched',
    shouldFocusError: false,
  });
  const values = useWatch({ control: form.control });
  const { dirtyFields } = form.formState;
  const changedIn = (category: Category) =>
    loaded.settings.filter((one) => one.category === category && dirtyFields[one.name] === true);
  const hasChanges = FORMS.some((category) => changedIn(category).length > 0);

  /** Loads the settings again and keeps what the person has changed. */
  const refresh = async () => {
    const fresh = await reload();
    if (!fresh) return;
    setVersion(fresh.version);
    setProblem(null);
    form.reset(startValues(fresh), { keepDirtyValues: true, keepErrors: false });
  };
  const showRefusal = (error: unknown, names: readonly string[]) => {
    if (error instanceof ValidationError) {
      const sorted = sortErrors(error.fields, names, loaded.fields);
      for (const [field, message] of sorted.fields) form.setError(field, { type: 'server', message });
      if (sorted.general.length > 0) setProblem({ text: sorted.general.join('; '), isStale: false });
      setFocusWanted((count) => count + 1);
      return;
    }
    const isStale = error instanceof HttpError && error.code === 'settings_changed';
    setProblem({ text: explain(error), isStale });
  };
  const save = async (category: Category, only?: readonly string[]) => {
    const names = only ?? changedIn(category).map((one) => one.name);
    if (busy || names.length === 0) return;
    setProblem(null);
    if (!(await form.trigger(names))) {
      setFocusWanted((count) => count + 1);
      return;
    }
    setBusy(true);
    try {
      await saveSettings(
        category,
        Object.fromEntries(names.map((name) => [name, form.getValues(name)])),
        version,
      );
      const fresh = await reload();
      if (fresh) {
        setVersion(fresh.version);
        const now = startValues(fresh);
        for (const name of names) form.resetField(name, { defaultValue: now[name] });
      }
      toast({ tone: 'ok', text: t('settings:saved') });
      await refreshPublicSettings();
    } catch (error) {
      showRefusal(error, names);
    } finally {
      setBusy(false);
    }
  };
  const restore = (names: readonly string[]) => {
    setProblem(null);
    for (const name of names) form.resetField(name);
  };
  return { form, values, changedIn, hasChanges, problem, busy, focusWanted, save, restore, refresh };
}

export type SettingsForm = ReturnType<typeof useSettingsForm>;
