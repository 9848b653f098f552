export { addDecimals, subtractDecimals } from './decimal.ts';
export { addUsage, type Measured, totalUsage, type Usage, type UsageField, type UsedBy } from './usage.ts';
