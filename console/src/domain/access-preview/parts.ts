/** What is shown of previews, in one file: each of them alone is small, and a list needs none of them. */

export { AccessPreview } from './AccessPreview';
export { EndingSessions } from './EndingSessions';
export { FormImpact } from './FormImpact';
export { ImpactCard } from './ImpactCard';
export { ImportAccess } from './ImportAccess';
