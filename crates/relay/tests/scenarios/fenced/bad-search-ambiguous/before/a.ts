function a() {
  done();
}
function b() {
  done();
}
