const a = 1;
const b = 3;
const c = 4;
