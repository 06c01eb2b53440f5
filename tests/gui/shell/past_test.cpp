// SPDX-License-Identifier: GPL-3.0-or-later
// Tests the time cursor on a running cluster. Topology, nodes and task graph show the past, and become live again at
// once.
#include <QTableWidget>
#include <QToolButton>
#include <QTreeWidget>

#include "app/shell/replay/transport_track.h"
#include "backend/control/protocol/fault_messages.h"
#include "tests/gui/connected_console.h"
#include "tests/gui/console.h"
#include "tests/gui/scripted_mesh.h"
#include "tests/support/test_program.h"

namespace past_test {

using namespace divisi;
using control::NodeState;
using control::UnitState;
using topology::Element;

namespace {

const InstanceId instance("gpt-text-1/stage-0/0");

/// A fixture with a task that trains. Some time later a link is cut, a router and an instance fail, a node is lost and
/// a new one joins.
struct Faulted : testing::ConnectedConsole {
    testing::ScriptedMesh mesh{cluster};
    topology::MeshMap& map = *console.find<topology::MeshMap>("meshMap");
    model::TimeCursor& cursor = console.window->context().cursor;
    TimePoint begin = cursor.now();
    TimePoint before;

    Faulted() {
        cluster.play();
        console.find<QTableWidget>("taskTable")->setCurrentCell(0, 0);
        console.show_dock("Nodes");
        mesh.state.faults_allowed = true;
        mesh.tell();
        Q_EMIT cluster.statusChanged();
        before = moment();
        mesh.state.faults = {{"mg-1", "sr-1", true, 0, 0}};
        mesh.at(3).up = false;
        mesh.tell();
        cluster.tell(control::InstanceChanged{instance, control::InstanceState::failed, "killed"});
        cluster.tell(control::NodeEnded{NodeId("mic-2/node-1"), NodeState::lost, "not heard"});
        control::NodeInfo info;
        info.id = NodeId("mic-2/node-2");
        info.mic = MicId("mic-2");
        cluster.tell(control::NodeJoined{info});
        Q_EMIT cluster.dataChanged();
    }
    /// Returns a moment between the events so far and the later ones.
    TimePoint moment() {
        QTest::qWait(20);
        const TimePoint now = cursor.now();
        QTest::qWait(20);
        return now;
    }
    bool link_is_cut() const {
        const auto link = map.picture().links.find(topology::link_name("mg-1", "sr-1"));
        return link != map.picture().links.end() && link->second.fault;
    }
    bool row_of_new_node() {
        return !console.find<QTreeWidget>("topologyTree")
                    ->findItems(QStringLiteral("mic-2/node-2"), Qt::MatchExactly | Qt::MatchRecursive)
                    .isEmpty();
    }
    topology::Presence router() const {
        const auto found = map.picture().devices.find("sr-1");
        return found == map.picture().devices.end() ? topology::Presence::gone : found->second.presence;
    }
    UnitState unit() const {
        const auto& units = console.window->context().units.units();
        return units.empty() ? UnitState::waiting : units.front().state;
    }
    bool shows_faults() {
        const auto& nodes = map.picture().nodes;
        const auto lost = nodes.find("mic-2/node-1");
        return nodes.contains("mic-2/node-2") && row_of_new_node() && link_is_cut() && unit() == UnitState::failed &&
               lost != nodes.end() && lost->second.state == NodeState::lost && router() == topology::Presence::away;
    }
    bool shows_none_of_them() {
        const auto& nodes = map.picture().nodes;
        const auto found = nodes.find("mic-2/node-1");
        return !nodes.contains("mic-2/node-2") && !row_of_new_node() && !link_is_cut() &&
               unit() == UnitState::running && found != nodes.end() && found->second.state == NodeState::ready &&
               router() == topology::Presence::here;
    }
    void go_live() { QTest::keyClick(console.window.get(), Qt::Key_L, Qt::ControlModifier); }
};

}  // namespace

class PastTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void topology_and_states_go_back_and_return_to_live_at_once() {
        Faulted shown;
        QTRY_VERIFY(shown.shows_faults());
        shown.cursor.set(shown.before);
        QTRY_VERIFY(shown.shows_none_of_them());
        const auto* legend = shown.console.find<QLabel>("topologyLegend");
        QVERIFY(legend->text().startsWith("as it was at "));
        shown.console.shot("past-topology");
        shown.cluster.tell(control::Noted{Severity::info, "test", "", "goes on"});
        Q_EMIT shown.cluster.dataChanged();
        shown.mesh.tell();
        QTest::qWait(700);  // the map requests the mesh meanwhile
        QVERIFY(shown.shows_none_of_them());
        shown.go_live();
        QVERIFY(shown.shows_faults());
        QVERIFY(!legend->text().contains("as it was at "));
    }

    void each_moment_of_the_past_is_requested_once() {
        Faulted shown;
        QTRY_VERIFY(shown.shows_faults());
        const client::PastClient& past = *shown.console.window->context().past;
        std::vector<TimePoint> came;  // one for each answer
        connect(&past, &client::Client::dataChanged, this, [&] {
            if (past.status().past) came.push_back(past.shown());
        });
        shown.cursor.set(shown.before);
        QTRY_VERIFY(!came.empty());
        shown.cursor.set(shown.begin);
        // moments are loaded one after another; moments that the cursor only passes are not requested
        QTRY_COMPARE(came.back(), shown.begin);
        QCOMPARE(came, (std::vector<TimePoint>{shown.before, shown.begin}));
        disconnect(&past, nullptr, this, nullptr);
    }

    void selection_is_kept_at_a_time_without_the_selected_node() {
        Faulted shown;
        QTRY_VERIFY(shown.shows_faults());
        const Element node{Element::Kind::node, "mic-2/node-2", {}};
        const model::Selection& selection = shown.console.window->context().selection;
        shown.map.select(node, true);
        const model::Selected selected = selection.current();
        QVERIFY(selected == model::Selected::of_node(NodeId("mic-2/node-2")));
        shown.cursor.set(shown.before);
        QTRY_VERIFY(shown.shows_none_of_them());
        QVERIFY(selection.current() == selected);
        QVERIFY(shown.map.selected().kind == Element::Kind::none);
        shown.go_live();
        QVERIFY(selection.current() == selected);
        QVERIFY(shown.map.selected() == node);
    }

    void time_slider_goes_back_and_ends_at_the_present() {
        Faulted shown;
        QTRY_VERIFY(shown.shows_faults());
        auto* track = shown.console.find<shell::TransportTrack>("momentTrack");
        QTRY_VERIFY(track->isVisible() && track->isEnabled() && track->maximum() > 0);
        QCOMPARE(track->value(), track->maximum());
        const client::PastClient& past = *shown.console.window->context().past;
        QTRY_VERIFY(past.kept_from().has_value());
        const auto since = [&](TimePoint at) { return static_cast<int>((at - *past.kept_from()).count() / 1'000'000); };
        QTRY_VERIFY(track->maximum() > since(shown.before));  // the track grows with time
        track->setValue(since(shown.before));
        QVERIFY(!shown.cursor.live());
        QTRY_VERIFY(shown.shows_none_of_them());
        QTest::keyClick(track, Qt::Key_Home);
        QCOMPARE(shown.cursor.at(), *past.kept_from());
        QTest::keyClick(track, Qt::Key_End);
        QVERIFY(shown.cursor.live() && shown.shows_faults());
        QTest::keyClick(track, Qt::Key_Left);  // one second back
        QVERIFY(shown.cursor.mode() == model::TimeCursor::Mode::paused);
        QVERIFY(shown.cursor.at() < shown.cursor.now());
    }

    void playing_from_before_a_fault_shows_the_fault_again() {
        Faulted shown;
        QTRY_VERIFY(shown.shows_faults());
        shown.cursor.set(shown.before);
        QTRY_VERIFY(shown.shows_none_of_them());
        shown.cursor.play(0.25);
        QTRY_VERIFY(shown.shows_faults());
        QVERIFY(!shown.cursor.live());  // playback is slower than the clock, so it does not catch up
    }

    void views_say_when_a_time_is_older_than_the_record() {
        Faulted shown;
        const auto* tree = shown.console.find<QTreeWidget>("topologyTree");
        QTRY_VERIFY(shown.shows_faults() && tree->isVisible());
        auto* empty = shown.console.find<QLabel>("topologyEmpty");
        QVERIFY(!empty->isVisible());
        shown.cursor.set(shown.begin - std::chrono::hours(1));
        QTRY_VERIFY(empty->isVisible());
        QTRY_VERIFY2(empty->text().contains(QStringLiteral("kept from")), qPrintable(empty->text()));
        const model::UnitGraph& units = shown.console.window->context().units;
        QTRY_VERIFY(units.units().empty());
        QVERIFY2(units.why_none().contains(QStringLiteral("kept from")), qPrintable(units.why_none()));
        QVERIFY(!tree->isVisible());
        shown.console.shot("past-too-old");
        shown.go_live();
        QVERIFY(shown.shows_faults());
    }

    void outage_is_shown_beside_the_known_state() {
        Faulted shown;
        QTRY_VERIFY(shown.shows_faults());
        client::Mail mail;
        mail.status = shown.cluster.state;
        mail.status->connection = client::Connection::waiting;
        mail.status->problem = QStringLiteral("nobody answers");
        Q_EMIT shown.cluster.mailCame(mail);
        shown.cluster.state = *mail.status;
        Q_EMIT shown.cluster.statusChanged();
        const auto* legend = shown.console.find<QLabel>("topologyLegend");
        shown.cursor.set(shown.moment());
        QTRY_VERIFY2(legend->text().contains(QStringLiteral("nobody answers")), qPrintable(legend->text()));
        QVERIFY(shown.link_is_cut());
        shown.cursor.set(shown.before);
        QTRY_VERIFY(!legend->text().contains(QStringLiteral("nobody answers")));
    }

    void faults_can_be_injected_only_in_the_present() {
        Faulted shown;
        auto* page = shown.console.find<topology::TopologyPage>("topologyPage");
        QTRY_VERIFY(shown.shows_faults());
        QVERIFY(page->allows_faults() && shown.console.action("cut_link")->isVisible());
        shown.cursor.set(shown.before);
        QTRY_VERIFY(shown.shows_none_of_them());
        QVERIFY(!page->allows_faults() && !shown.console.action("cut_link")->isVisible());
        shown.map.select({Element::Kind::link, "mg-1", "sr-1"}, true);
        page->cut_link();  // called directly, as if the caller had not checked
        QVERIFY(shown.cluster.all<control::FaultLink>().empty());
        const QString told = shown.console.find<QLabel>("messageText")->text();
        QVERIFY2(told.contains(QStringLiteral("shows the past")), qPrintable(told));
        shown.map.select({Element::Kind::node, "mic-1/node-1", {}}, true);
        QVERIFY(page->why_not_struck(Element::Kind::node).contains(QStringLiteral("shows the past")));
        shown.go_live();
        QVERIFY(page->allows_faults() && shown.console.action("cut_link")->isVisible());
        shown.map.select({Element::Kind::link, "mg-2", "sr-1"}, true);
        page->cut_link();
        QCOMPARE(shown.cluster.count<control::FaultLink>(), std::size_t{1});
    }
};

DIVISI_WINDOW_TEST(PastTest)

}  // namespace past_test

#include "past_test.moc"
