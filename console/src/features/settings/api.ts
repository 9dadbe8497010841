import { useQuery } from '@tanstack/react-query';
import { http } from '#/lib/http/client';
import { currentLanguage } from '#/lib/i18n';
import { currentSession, type PublicSettings, setSession } from '#/lib/session';
import type { ProviderName } from '#/domain/external/providers';
import { type FieldMap, fetchMetadata } from '#/resource/api';
import type { FormValues } from '#/resource/define';
import type { Category } from './categories';

const SETTINGS = 'settings/setting/';
const EVERYTHING = { category: 'all' } as const;

/** One setting besides its value: where it comes from and how it is shown. */
export interface SettingState {
  readonly name: string;
  readonly category: Category;
  readonly section: string;
  readonly is_long: boolean;
  readonly effect: string;
  readonly is_secret: boolean;
  readonly is_set: boolean;
  /** The environment variable that fixes the value; empty: none. */
  readonly variable: string;
  readonly set_by: string;
  readonly date_set: string | null;
  /** The stored value cannot be used: another one applies until the setting is saved. */
  readonly is_broken: boolean;
}

interface FormState {
  /** The version of all settings. A save sends it back, so that no later change is overwritten. */
  readonly version: number;
  readonly settings: readonly SettingState[];
}

/** All settings of the screen. */
export interface Loaded {
  readonly version: number;
  readonly settings: readonly SettingState[];
  readonly values: FormValues;
  readonly fields: FieldMap;
}

/** The version first: if a change comes in between, saving over it is refused. */
async function load(): Promise<Loaded> {
  const state = await http.get<FormState>(`${SETTINGS}state/`, { query: EVERYTHING, quiet: true });
  const [values, metadata] = await Promise.all([
    http.get<FormValues>(SETTINGS, { query: EVERYTHING, quiet: true }),
    fetchMetadata(SETTINGS, EVERYTHING),
  ]);
  return { ...state, values: texts(values), fields: metadata.actions.PATCH ?? {} };
}

/** Controls have no null and no objects: a setting that is not set is an empty text, a map is its JSON, an order has commas. */
function texts(values: FormValues): FormValues {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, asText(value)]));
}

function asText(value: unknown): unknown {
  if (Array.isArray(value)) return value.join(',');
  return typeof value === 'object' && value !== null ? JSON.stringify(value, null, 2) : (value ?? '');
}

export function useSettings() {
  return useQuery({
    queryKey: ['settings', currentLanguage()],
    queryFn: load,
    staleTime: 0,
    gcTime: 0,
    // Values that change under somebody's hands would be lost: a conflict is reported when saving.
    refetchOnWindowFocus: false,
  });
}

/** Saves these settings of a category. Raises an `HttpError` with status 409 if others were saved meanwhile. */
export function saveSettings(category: Category, changes: FormValues, version: number): Promise<FormValues> {
  return http.patch<FormValues>(SETTINGS, changes, { query: { category, version }, quiet: true });
}

/** Menus and screens follow the public settings: they must not wait for the next start of the console. */
export async function refreshPublicSettings(): Promise<void> {
  const { data } = await http.get<{ data: PublicSettings }>('settings/public/', { quiet: true });
  const session = currentSession();
  if (session) setSession({ ...session, settings: data });
}

/** Sends a test mail with these values, which need not be saved. Returns the answer of the mail server. */
export async function testMail(values: FormValues): Promise<string> {
  const { msg } = await http.post<{ msg: string }>('settings/mail/testing/', values, { quiet: true });
  return msg;
}

/** Asks a sign-in provider with these values, which need not be saved. Returns its answer. */
export async function testProvider(provider: ProviderName, values: FormValues): Promise<string> {
  const { msg } = await http.post<{ msg: string }>(`settings/${provider}/testing/`, values, { quiet: true });
  return msg;
}
