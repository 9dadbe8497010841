import { type ApplicationCategory, CATEGORIES, categoryOf } from '#/domain/application-kinds/kinds';
import { assetOptions, domainOptions } from '#/domain/remotes';
import type { FormDefinition, NamesOf, RemoteOptions } from '#/resource/define';

type Written = NamesOf<'applications/applications/'>['written'];

/** Programs run on Windows hosts only. */
const windowsHosts: RemoteOptions = { ...assetOptions, query: { platform__base: 'Windows' } };

const SECRETS = [
  'chrome_password',
  'mysql_workbench_password',
  'vmware_password',
  'custom_password',
] as const;

/** The form of the applications of a category. The attributes follow from the type, which comes with the address. */
export function applicationForm(category: ApplicationCategory): FormDefinition<Written> {
  // i18n: applications:form.attrs_*
  return {
    groups: [
      {
        title: 'applications:form.basic',
        fields: ['name', 'category', 'type', ...(category === 'remote_app' ? [] : (['domain'] as const))],
      },
      { title: `applications:form.attrs_${category}`, fields: ['attrs'] },
      { title: 'applications:form.other', fields: ['comment'] },
    ],
    initial: (query) => ({
      category,
      type: categoryOf(query['type']) === category ? query['type'] : CATEGORIES[category][0],
    }),
    query: (values) => ({
      type:
        categoryOf(String(values['type'])) === category ? String(values['type']) : CATEGORIES[category][0],
    }),
    fields: {
      category: { isHidden: () => true },
      type: { isDisabled: () => true, control: 'select' },
      domain: { remote: domainOptions, help: 'applications:form.domain_help' },
      attrs: { flat: true },
      'attrs.asset': { remote: windowsHosts, help: 'applications:form.asset_help' },
      'attrs.cluster': { placeholder: 'https://192.0.2.10:6443', control: 'input' },
      ...Object.fromEntries(
        SECRETS.map((name) => [
          `attrs.${name}`,
          { control: 'password' as const, help: 'applications:form.secret_sealed' },
        ]),
      ),
      comment: { control: 'textarea' },
    },
    // Hidden fields are not sent by themselves.
    toPayload: (payload) => ({ ...payload, category }),
    opensDetail: 'create',
  };
}
