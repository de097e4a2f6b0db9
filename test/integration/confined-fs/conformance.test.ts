import { confinedFsConformance } from '../../conformance/confined-fs.ts';

confinedFsConformance('openat2');
confinedFsConformance('walk');
