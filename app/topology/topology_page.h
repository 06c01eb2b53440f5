// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSettings>
#include <QStackedWidget>
#include <QTableWidget>
#include <QTimer>
#include <QToolButton>
#include <QWidget>

#include "app/client/client.h"
#include "app/model/tracking/selection.h"
#include "app/topology/element_details.h"
#include "app/topology/mesh_map.h"

namespace divisi::topology {

/// The Topology view: the picture of the mesh with its legend, and beside it the details of the selected element.
/// Clicking a path in the details selects its links one after another. The path is in bold while one of its links is
/// selected.
///
/// While visible, it requests the mesh from the cluster twice a second. Positions of dragged MICs and routers are kept
/// in the settings, by the cluster's name.
class TopologyPage : public QWidget {
    Q_OBJECT
public:
    TopologyPage(QSettings& settings, client::Client* client, QWidget* parent = nullptr);

    MeshMap& map() { return *map_; }
    /// Sets the task whose paths and instances are highlighted.
    void show_task(const TaskId& task);
    /// Connects the common selection with the selection in the picture, in both directions. For a selected unit, the
    /// instance that runs the unit is marked.
    void use(model::Selection& selection);

    // The next functions inject faults into the selected element, for demonstrations. If no element of the right kind
    // is selected, hint() says what to select first.
    void cut_link();
    void slow_link();
    void kill_router();
    void heal_link();
    void heal_all();
    // These functions inject faults into processes; they are implemented in topology_faults.cpp.
    void kill_instance();
    void kill_node();
    void pause_instance();
    /// Returns why no fault can be injected now into the process of the selected element, which must be of this kind;
    /// empty if injection is possible.
    QString why_not_struck(Element::Kind kind) const;
    /// Returns whether the cluster accepts injected faults from this console.
    bool allows_faults() const;

Q_SIGNALS:
    void faultsAllowedChanged();
    void hint(const QString& text);

protected:
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void build();
    void hold_ages();
    void change_time();
    QString why_empty() const;
    void take(const control::MeshState& mesh);
    void refresh();
    void show_picture(const client::ClusterData& data);
    void refresh_details();
    void refresh_legend();
    void mark_selected();
    const Element& detailed() const;
    bool is_marked(const Detail& detail) const;
    static QString link_tip();
    void select_link(int row);
    void show_details(bool show);
    /// These functions show the actions of an element.
    void show_menu(const Element& element, const QPoint& global);
    void add_faults(QMenu& menu, const Element& element);
    void add_process_faults(QMenu& menu, const Element& element);
    /// Adds the drain actions of a node. Implemented in topology_drain.cpp.
    void add_drain(QMenu& menu, const Element& element);
    QString why_no_faults() const;
    std::string selected_sid() const;
    /// Returns the selected link; if none is selected, returns null and shows a hint.
    const LinkLook* selected_link(LinkName& name);
    void status_changed();
    void tell_faults();
    void arrange_anew();
    /// Forgets the places of elements that have left the cluster.
    void forget_left();
    void load_dragged();
    void save_dragged();
    QString settings_key() const;
    void retranslate();

    QSettings& settings_;
    client::Client* client_;
    MeshWatch watch_;
    /// For a recording: a time of this process's clock, and the time of the recording that was displayed then.
    std::optional<std::pair<MeshWatch::Time, TimePoint>> held_;
    MeshParts parts_;
    /// The watch and the parts of the present, stored while a past time is shown.
    std::optional<std::pair<MeshWatch, MeshParts>> aside_;
    TaskId task_;
    QString cluster_;  ///< name of the cluster to which the elements and dragged positions belong
    QStackedWidget* stack_;
    QLabel* empty_;
    MeshMap* map_;
    QWidget* details_;
    QLabel* details_title_;
    QTableWidget* details_rows_;
    QLabel* legend_;
    QToolButton* idle_;
    QPushButton *anew_, *forget_, *heal_all_;
    model::Selection* selection_ = nullptr;
    bool marking_ = false;   ///< whether the picture's selection is being set from the common selection
    bool unmarked_ = false;  ///< whether the mark must be set again, because the element may have been missing at a
                             ///< past time
    std::vector<Detail> shown_details_;
    /// The device from whose path a link was selected. Its details remain visible until another element is selected.
    std::optional<Element> kept_;
    bool choosing_link_ = false;
    bool connected_ = false, allowed_ = false;
    QTimer tick_;
};

}  // namespace divisi::topology
