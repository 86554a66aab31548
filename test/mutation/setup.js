// That a property does not hold is enough: the smallest case for it is not looked for.
require('fast-check').configureGlobal({ endOnFailure: true });
