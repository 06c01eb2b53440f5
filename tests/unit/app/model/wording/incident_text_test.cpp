// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/wording/incident_text.h"

#include "app/panels/faults/incident_table.h"
#include "tests/support/test_program.h"

namespace incident_text_test {

using namespace divisi;
using control::Incident;
using control::IncidentAnswer;
using model::IncidentPhase;

namespace {

TimePoint at(int seconds) { return TimePoint(std::chrono::seconds(seconds)); }

Incident recovered() {
    Incident one;
    one.culprit = InstanceId("gpt-1/stage-1/0#1");
    one.node = NodeId("mic-1/a");
    one.fault_time = at(100);
    one.detected = at(101);
    one.decided = at(101);
    one.restored = at(104);
    one.resumed = at(105);
    one.caught_up = at(109);
    one.answer = IncidentAnswer::recovers;
    one.generation = 2;
    one.from_step = 10;
    one.last_step = 12;
    one.open = false;
    return one;
}

std::vector<IncidentPhase::Kind> kinds(const std::vector<IncidentPhase>& phases) {
    std::vector<IncidentPhase::Kind> found;
    for (const IncidentPhase& phase : phases) found.push_back(phase.kind);
    return found;
}

}  // namespace

class IncidentTextTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void phases_follow_on_each_other() {
        const auto phases = model::phases_of(recovered(), at(200));
        // A decision without delay has no phase.
        QCOMPARE(kinds(phases), (std::vector{IncidentPhase::noticing, IncidentPhase::restoring, IncidentPhase::starting,
                                             IncidentPhase::replaying}));
        QCOMPARE(phases[1].begin_s, 1.0);
        QCOMPARE(phases[1].end_s, 4.0);
        QCOMPARE(phases.back().end_s, 9.0);
        QVERIFY(!phases.back().lasts);
    }

    void last_phase_of_an_open_incident_has_no_end() {
        Incident one = recovered();
        one.open = true;
        one.resumed = one.caught_up = TimePoint{};
        const auto phases = model::phases_of(one, at(110));
        QCOMPARE(phases.back().kind, IncidentPhase::starting);
        QCOMPARE(phases.back().begin_s, 4.0);
        QCOMPARE(phases.back().end_s, 10.0);
        QVERIFY(phases.back().lasts);
        QVERIFY(model::phases_text(phases).endsWith(QStringLiteral("\u2026")));
    }

    void unobserved_time_is_skipped() {
        Incident one = recovered();
        one.restored = TimePoint{};
        const auto phases = model::phases_of(one, at(200));
        QCOMPARE(kinds(phases),
                 (std::vector{IncidentPhase::noticing, IncidentPhase::starting, IncidentPhase::replaying}));
        QCOMPARE(phases[1].begin_s, 1.0);
        QCOMPARE(phases[1].end_s, 5.0);
    }

    void incident_of_a_returned_peer_has_only_a_waiting_phase() {
        Incident one;
        one.fault_time = at(100);
        one.resumed = at(103);
        one.answer = IncidentAnswer::passed;
        one.open = false;
        QCOMPARE(kinds(model::phases_of(one, at(200))), std::vector{IncidentPhase::waiting});
        QCOMPARE(model::replayed_text(one), QStringLiteral("0"));
        QCOMPARE(model::whose_fault(one), QStringLiteral("\u2013"));
    }

    void clock_that_is_set_back_gives_no_negative_phase() {
        Incident one = recovered();
        one.resumed = at(90);
        double last = 0;
        for (const IncidentPhase& phase : model::phases_of(one, at(50))) {
            QVERIFY(phase.begin_s >= last && phase.end_s > phase.begin_s);
            last = phase.end_s;
        }
    }

    void texts_name_the_culprit_and_the_reaction() {
        Incident one = recovered();
        QCOMPARE(model::whose_fault(one), QStringLiteral("gpt-1/stage-1/0#1"));
        QCOMPARE(model::answer_text(one), QStringLiteral("restart after step 10 as generation 2"));
        QCOMPARE(model::replayed_text(one), QStringLiteral("2"));
        one.culprit = {};
        QCOMPARE(model::whose_fault(one), QStringLiteral("mic-1/a"));
        one.last_step.reset();
        QCOMPARE(model::replayed_text(one), QStringLiteral("\u2013"));
        one.outcome = "another fault occurred before the task had continued";
        QVERIFY(
            model::answer_text(one).endsWith(QStringLiteral("another fault occurred before the task had continued")));
        QVERIFY(model::look_of(one, model::dark_colours()).text() !=
                model::look_of(recovered(), model::dark_colours()).text());
    }

    void short_phase_stays_visible_beside_a_long_one() {
        const std::vector<IncidentPhase> phases{{IncidentPhase::noticing, 0, 0.001, false},
                                                {IncidentPhase::deciding, 0.001, 0.002, false},
                                                {IncidentPhase::restoring, 0.002, 60, false}};
        const std::vector<int> edges = panels::phase_edges(phases, 300);
        QCOMPARE(edges.size(), 4U);
        QCOMPARE(edges.front(), 0);
        QCOMPARE(edges.back(), 300);
        for (std::size_t i = 1; i < edges.size(); ++i) QVERIFY(edges[i] - edges[i - 1] >= 8);
        QCOMPARE(panels::phase_edges({}, 300), std::vector<int>{0});
        QCOMPARE(panels::phase_edges(phases, 9).back(), 9);  // the column is too narrow
    }
};

DIVISI_WINDOW_TEST(IncidentTextTest)

}  // namespace incident_text_test

#include "incident_text_test.moc"
