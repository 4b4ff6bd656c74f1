//! The reply format as folders: before, reply, after, report. `UPDATE_EXPECT=1` rewrites the reports.

#[test]
fn every_scenario_ends_as_it_should() {
    testkit::scenario::run_all(
        env!("CARGO_BIN_EXE_relay"),
        concat!(env!("CARGO_MANIFEST_DIR"), "/tests/scenarios"),
    );
}
